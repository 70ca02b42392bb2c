import type { Config } from "../../protocol/config.ts";

const DEMO_HOST = "demo-receiver.invalid";

/** Webhook targets of a deployment that configured none: one that shows the card and sends nothing anywhere. */
export const DEMO_WEBHOOKS: Config["webhooks"] = {
  demo: { url: `https://${DEMO_HOST}/`, label: "the built-in demo receiver (nothing leaves this server)" },
};

/** A `fetch` that answers for the demo receiver itself and leaves everything else to the platform's. */
export function withDemoReceiver(platformFetch: typeof fetch): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    if (new URL(request.url).host !== DEMO_HOST) return platformFetch(input, init);
    const key = request.headers.get("idempotency-key");
    return Response.json({ received: true, key, note: "The demo receiver keeps nothing." });
  };
}
