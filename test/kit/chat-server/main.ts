import { resolve } from "node:path";
import { ChatServer } from "./server.ts";

/** Develops the page without the real server: `vite build web && node test/kit/chat-server/main.ts [port]`. */
const server = new ChatServer(resolve(import.meta.dirname, "../../../dist/web"));
const base = await server.listen(Number(process.argv[2] ?? 4400));
process.stdout.write(`${base}/claim#${server.newCode()}\n`);
