// Calls again and again with grpc-go. It prints nothing that is trusted: that a call arrives is the evidence.
package main

import (
	"context"
	"fmt"
	"log"
	"net/url"
	"os"
	"strconv"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/health/grpc_health_v1"
	"google.golang.org/grpc/metadata"
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
	address, err := url.Parse(setting("MUSTER_URL", ""))
	if err != nil || address.Port() == "" {
		log.Fatalf("muster: MUSTER_URL=%s; expected http://name:port", os.Getenv("MUSTER_URL"))
	}
	timeout := milliseconds("MUSTER_TIMEOUT_MS", "5000")
	balancing := fmt.Sprintf(`{"loadBalancingPolicy":%q}`, setting("MUSTER_BALANCING", "pick_first"))
	connection, err := grpc.Dial("dns:///"+address.Host,
		grpc.WithInsecure(), grpc.WithDefaultServiceConfig(balancing))
	if err != nil {
		log.Fatalf("muster: %s", err)
	}
	client := grpc_health_v1.NewHealthClient(connection)
	named := metadata.AppendToOutgoingContext(context.Background(), "x-muster-client", setting("MUSTER_CLIENT", ""))
	for range time.Tick(milliseconds("MUSTER_EVERY_MS", "1000")) {
		call, done := context.WithTimeout(named, timeout)
		if _, err := client.Check(call, &grpc_health_v1.HealthCheckRequest{}); err != nil {
			log.Print(err)
		}
		done()
	}
}
