import { env } from "cloudflare:test";
import { beforeAll, describe, expect, it } from "vitest";
import * as z from "zod";
import { isForPrograms } from "../../src/routes/openapi.ts";
import { ROUTES } from "../../src/routes/table.ts";
import { LOCAL, makeEdge } from "../kit/edge.ts";

interface Operation {
  readonly security?: unknown;
  readonly parameters: readonly { readonly name: string; readonly in: string; readonly required: boolean }[];
  readonly requestBody?: { readonly content: { readonly "application/json": { readonly schema: unknown } } };
  readonly responses: Record<string, unknown>;
}

interface Document {
  readonly openapi: string;
  readonly paths: Record<string, Record<string, Operation>>;
}

const edge = makeEdge(env);
let document: Document;
let documented: readonly { readonly name: string; readonly operation: Operation }[];

beforeAll(async () => {
  const response = await edge.fetch(`${LOCAL}/api/v1/openapi.json`, { as: await edge.visitor() });
  document = await response.json<Document>();
  documented = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, operation })),
  );
});

describe("the OpenAPI document", () => {
  it("[V-5] lists the routes of the table, and no others", () => {
    const routes = ROUTES.filter(isForPrograms).map(
      ({ method, path }) => `${method} ${path.replace(/:(\w+)/g, "{$1}")}`,
    );
    expect(documented.map(({ name }) => name).sort()).toEqual(routes.sort());
    expect(document.openapi).toBe("3.1.0");
  });

  it("[V-5] says which routes need a session", () => {
    const open = documented.filter(({ operation }) => operation.security === undefined).map(({ name }) => name);
    expect(open.sort()).toEqual(
      [
        "GET /healthz",
        "POST /auth/claim",
        "POST /auth/signout",
        "GET /api/v1/sign-in",
        "GET /auth/{name}/start",
        "GET /auth/{name}/callback",
        "POST /auth/invitation",
      ].sort(),
    );
  });

  it("[V-5] its body schemas are those that the routes enforce, unknown keys refused", () => {
    for (const route of ROUTES.filter(isForPrograms)) {
      const operation = document.paths[route.path.replace(/:(\w+)/g, "{$1}")]?.[route.method.toLowerCase()];
      const schema = operation?.requestBody?.content["application/json"].schema;
      if (route.body === undefined) {
        expect(schema).toBeUndefined();
        continue;
      }
      const { $schema: _dialect, ...expected } = z.toJSONSchema(route.body, { io: "input" });
      expect(schema).toEqual(expected);
      expect(schema).toMatchObject({ additionalProperties: false });
    }
  });

  it("[V-5] names every part of a path as a parameter", () => {
    for (const { name, operation } of documented) {
      const parts = [...name.matchAll(/\{(\w+)\}/g)].map(([, part]) => part);
      const declared = operation.parameters.filter((parameter) => parameter.in === "path").map((each) => each.name);
      expect(declared).toEqual(parts);
    }
  });

  it("[V-5] every operation says how it refuses", () => {
    for (const { operation } of documented) expect(operation.responses).toHaveProperty("default");
  });
});
