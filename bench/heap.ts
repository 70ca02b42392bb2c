import { WebSocket } from "ws";

interface Target {
  readonly id: string;
  readonly webSocketDebuggerUrl: string;
}

/**
 * Bytes that the heap of the Worker uses after a collection, told by its inspector. A snapshot begins with a full
 * collection; asking for one alone is never answered.
 */
export async function heapUsage(inspector: number): Promise<number> {
  const listed = await fetch(`http://127.0.0.1:${inspector}/json`);
  const targets = await listed.json<readonly Target[]>();
  const worker = targets.find(({ id }) => id.startsWith("core:user"));
  if (!worker) throw new Error("the inspector lists no Worker");
  return usedSize(worker.webSocketDebuggerUrl);
}

async function usedSize(url: string): Promise<number> {
  const socket = new WebSocket(url);
  await new Promise((resolve, reject) => socket.once("open", resolve).once("error", reject));
  let id = 0;
  const ask = (method: string) =>
    new Promise<{ readonly usedSize?: number }>((resolve) => {
      const mine = ++id;
      const onMessage = (data: Buffer) => {
        const answer = JSON.parse(data.toString()) as { readonly id?: number; readonly result: { usedSize?: number } };
        if (answer.id !== mine) return;
        socket.off("message", onMessage);
        resolve(answer.result);
      };
      socket.on("message", onMessage);
      socket.send(JSON.stringify({ id: mine, method }));
    });
  await ask("Runtime.enable");
  await ask("HeapProfiler.takeHeapSnapshot");
  const { usedSize: used } = await ask("Runtime.getHeapUsage");
  socket.terminate();
  return used ?? Number.NaN;
}
