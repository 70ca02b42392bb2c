import { createServer } from "node:net";

/**
 * Makes sure that nobody listens on a loopback port.
 * @throws naming the port and the remedy.
 */
export async function requireFreePort(port: number): Promise<void> {
  const code = await new Promise<string | undefined>((resolve) => {
    const server = createServer();
    server.once("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? "unknown"));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(undefined)));
  });
  if (code === undefined) return;
  const why = code === "EADDRINUSE" ? "is in use by another program" : `cannot be used (${code})`;
  throw new Error(`Port ${port} ${why}. Stop it, or choose another port: PORT=${port + 1} npm start`);
}
