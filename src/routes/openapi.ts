import * as z from "zod";
import type { Json, JsonObject } from "../lib/json.ts";
import { json } from "./answers.ts";
import { type AnswerShape, type Route, signedInRoute } from "./route.ts";
import { errorShape } from "./shapes.ts";

/** The route that serves the document of the given routes, and of itself. */
export function openApiRoute(routes: readonly Route[]): Route {
  const route: Route = signedInRoute({
    method: "GET",
    path: "/api/v1/openapi.json",
    summary: "This document.",
    answers: { 200: { media: "application/json" } },
    async handle() {
      return json(describeApi([...routes, route]));
    },
  });
  return route;
}

/** An OpenAPI 3.1 document of the routes under `/api/v1`, `/auth` and the health check, from the schemas they enforce. */
function describeApi(routes: readonly Route[]): JsonObject {
  const paths: { [path: string]: { [method: string]: Json } } = {};
  for (const route of routes.filter(isForPrograms)) {
    const path = route.path.replace(/:(\w+)/g, "{$1}");
    paths[path] = { ...paths[path], [route.method.toLowerCase()]: describeRoute(route) };
  }
  return {
    openapi: "3.1.0",
    info: { title: "Althing", version: "1" },
    paths,
    components: {
      securitySchemes: {
        session: { type: "apiKey", in: "cookie", name: "__Host-althing" },
        token: { type: "http", scheme: "bearer", bearerFormat: "JWT" },
      },
    },
  };
}

export function isForPrograms(route: Route): boolean {
  return /^\/(api\/v1|auth|healthz)/.test(route.path);
}

function describeRoute(route: Route): JsonObject {
  const needsSession = route.needs !== "nothing";
  return {
    summary: route.summary,
    ...(needsSession ? { security: [{ session: [] }, { token: [] }] } : {}),
    parameters: [...pathParameters(route.path), ...queryParameters(route.query)],
    ...(route.body === undefined ? {} : { requestBody: content(route.body, "input") }),
    responses: {
      ...Object.fromEntries(
        Object.entries(route.answers).map(([status, shape]) => [status, describeAnswer(status, shape)]),
      ),
      default: { description: "A refusal.", ...content(errorShape, "output") },
    },
  };
}

function pathParameters(path: string): Json[] {
  return [...path.matchAll(/:(\w+)/g)].map(([, name]) => {
    return { name: name ?? "", in: "path", required: true, schema: { type: "string" } };
  });
}

function queryParameters(query: z.ZodType | undefined): Json[] {
  if (query === undefined) return [];
  const { properties = {}, required = [] } = z.toJSONSchema(query, { io: "input" });
  return Object.entries(properties).map(([name, schema]) => {
    return { name, in: "query", required: required.includes(name), schema: schema as JsonObject };
  });
}

function describeAnswer(status: string, shape: AnswerShape): JsonObject {
  const description = Number(status) < 400 ? "Done." : "A refusal, with what would be now.";
  if (shape === "empty") return { description };
  if ("media" in shape) return { description, content: { [shape.media]: {} } };
  return { description, ...content(shape, "output") };
}

function content(schema: z.ZodType, io: "input" | "output"): JsonObject {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, { io });
  return { content: { "application/json": { schema: rest as JsonObject } } };
}
