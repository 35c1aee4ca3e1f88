// Asks again and again. It prints nothing that is trusted: that a request arrives is the evidence.
import http from 'node:http'

const { MUSTER_API: api, MUSTER_CLIENT: name, MUSTER_URL: url } = process.env
const timeout = Number(process.env.MUSTER_TIMEOUT_MS)
const headers = { 'x-muster-client': name }

const apis = {
  fetch: async () => (await fetch(url, { headers, signal: AbortSignal.timeout(timeout) })).arrayBuffer(),
  http: () =>
    new Promise((done, failed) => {
      const request = http.get(url, { headers, timeout }, (answer) => answer.resume().on('end', done).on('error', failed))
      request.on('timeout', () => request.destroy(new Error('timeout'))).on('error', failed)
    }),
}

for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(0))
setInterval(() => apis[api]().catch((problem) => console.error(String(problem))), Number(process.env.MUSTER_EVERY_MS))
