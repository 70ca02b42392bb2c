const TRIES = 20;
const PAUSE_MS = 100;

/** Does something to the local database again while a running server has it locked. The work must bear repeating. */
export async function whileBusy<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (attempt === TRIES || !isBusy(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
    }
  }
}

function isBusy(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return error.message.includes("SQLITE_BUSY") || isBusy(error.cause);
}
