import { DrizzleQueryError } from "drizzle-orm/errors";
import { describe, expect, it } from "vitest";
import { isStoreFailure, nameFailure } from "../../src/store/failure.ts";

const query = new DrizzleQueryError("select ?", ["session-hash"], new Error("D1_ERROR: away"));

describe("naming a failure", () => {
  it("[U-36] a failed query is named by its cause, without its parameters", () => {
    expect(query.message).toContain("session-hash");
    expect(nameFailure(query)).toBe("Error: D1_ERROR: away");
  });

  it("[U-36] any other error is named by itself, shortened", () => {
    expect(nameFailure(new TypeError("no"))).toBe("TypeError: no");
    expect(nameFailure(new Error("x".repeat(1_000)))).toHaveLength(300);
    expect(nameFailure("a secret")).toBe("a value that is no error was thrown");
  });

  it("[U-8] what comes from the database is told apart from other errors", () => {
    expect([query, new Error("D1_ERROR: away")].map(isStoreFailure)).toEqual([true, true]);
    expect([new Error("other"), "D1_ERROR", undefined].map(isStoreFailure)).toEqual([false, false, false]);
  });
});
