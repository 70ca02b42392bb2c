import { describePage } from "./describe-page.ts";
import { makeMockWorld } from "./mock-world.ts";

describePage("the mock server", makeMockWorld);
