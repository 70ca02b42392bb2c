import { describe, expect, it } from "vitest";
import { checkEnv, EnvError, readSecret } from "../src/env.ts";

const whole = { DB: {}, FILES: {}, ASSETS: {}, CONVERSATION: {}, PRINCIPAL: {}, BUDGET: {} };

describe("the environment", () => {
  it("[U-37] a whole one passes", () => {
    expect(checkEnv(whole)).toBe(whole);
  });

  it.each(Object.keys(whole))("[U-37] a missing %s is named together with the remedy", (name) => {
    const { [name as keyof typeof whole]: _, ...rest } = whole;
    expect(() => checkEnv(rest)).toThrow(EnvError);
    expect(() => checkEnv(rest)).toThrow(`The binding ${name} is missing. wrangler.toml`);
  });

  it("[U-38] a secret that is missing, blank or no text counts as not set", () => {
    const env = { BLANK: "  ", EMPTY: "", NUMBER: 5, KEY: " sk-1 \n" };
    for (const name of ["BLANK", "EMPTY", "NUMBER", "MISSING", "toString"]) {
      expect(readSecret(env, name)).toBeUndefined();
    }
    expect(readSecret(env, "KEY")).toBe("sk-1");
  });
});
