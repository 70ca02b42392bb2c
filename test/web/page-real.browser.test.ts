import { describePage } from "./describe-page.ts";
import { makeRealWorld } from "./real-world.ts";

describePage("the real server", makeRealWorld);
