import { createContext } from "preact";

/** True inside of what was left behind: it can be read and forked from, nothing else. */
export const LeftContext = createContext(false);
