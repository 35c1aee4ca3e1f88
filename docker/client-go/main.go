// Asks again and again with Go's net/http. It prints nothing that is trusted: that a request arrives is the evidence.
package main

import (
	"io"
	"log"
	"net/http"
	"os"
	"strconv"
	"time"
)

func setting(name, otherwise string) string {
	if value := os.Getenv(name); value != "" {
		return value
	}
	if otherwise == "" {
		log.Fatalf("muster: %s is not set", name)
	}
	return otherwise
}

func milliseconds(name, otherwise string) time.Duration {
	value, err := strconv.ParseUint(setting(name, otherwise), 10, 31)
	if err != nil || value == 0 {
		log.Fatalf("muster: %s=%s; expected milliseconds, at least 1", name, os.Getenv(name))
	}
	return time.Duration(value) * time.Millisecond
}

func main() {
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DisableKeepAlives = setting("MUSTER_KEEP_ALIVE", "yes") == "no"
	client := &http.Client{Transport: transport, Timeout: milliseconds("MUSTER_TIMEOUT_MS", "5000")}
	request, err := http.NewRequest("GET", setting("MUSTER_URL", ""), nil)
	if err != nil {
		log.Fatalf("muster: %s", err)
	}
	request.Header.Set("x-muster-client", setting("MUSTER_CLIENT", ""))
	for range time.Tick(milliseconds("MUSTER_EVERY_MS", "1000")) {
		response, err := client.Do(request)
		if err != nil {
			log.Print(err)
			continue
		}
		// A connection is used again only when its answer was read to the end.
		io.Copy(io.Discard, response.Body)
		response.Body.Close()
	}
}
