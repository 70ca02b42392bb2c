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

/** How the local D1 says it. After an answer it asks the file for its position, and names no cause when that is locked. */
const BUSY = /SQLITE_BUSY|Failed to get session commit token: internal error/;

function isBusy(error: unknown): boolean {
  return error instanceof Error && (BUSY.test(error.message) || isBusy(error.cause));
}
