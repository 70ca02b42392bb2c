import type * as z from "zod";
import type { AccessTokens } from "../auth/access-token.ts";
import type { FetchLike } from "../auth/provider.ts";
import type { FillRandom } from "../auth/secret.ts";
import type { AppEnv, ConversationStub } from "../env.ts";
import type { Host } from "../host/index.ts";
import type { Caller, PersonFacts } from "../people/facts.ts";
import type { Config } from "../protocol/config.ts";
import type { Database } from "../store/database.ts";
import type { LogLevel } from "./log.ts";

/** What the Worker is made of. Everything outside comes in here. */
export interface AppDeps {
  readonly config: Config;
  /** The plugins of the deployment, set up once. @throws PluginError when one cannot be used as it is. */
  readonly host: (env: AppEnv) => Host;
  readonly clock: { now(): number };
  readonly random: FillRandom;
  /** Asks the providers that people sign in with, and the issuers of access tokens. */
  readonly fetch: FetchLike;
  /** Of one person, and of one address that nobody has signed in from. */
  readonly requestsPerMinute: number;
  /** Writes a line for the operator. */
  readonly log: (level: LogLevel, line: object) => void;
}

/** What every handler gets. */
export interface Call<Body, Query> {
  readonly deps: AppDeps;
  readonly env: AppEnv;
  readonly tokens: AccessTokens;
  readonly db: Database;
  readonly now: number;
  readonly request: Request;
  readonly url: URL;
  readonly body: Body;
  readonly query: Query;
  /** A part of the path that the route names. */
  param(name: string): string;
}

/** What the handler of a route that needs a session gets. */
export interface SignedInCall<Body, Query> extends Call<Body, Query> {
  readonly caller: Caller;
  readonly person: PersonFacts;
}

/** As {@link SignedInCall}, for a route with `:id`. */
export interface ConversationCall<Body, Query> extends SignedInCall<Body, Query> {
  /** The UUID, in lower case. */
  readonly id: string;
  /** The channel key, `web:<uuid>`. */
  readonly key: string;
  readonly conversation: ConversationStub;
}

interface RouteFacts<Body extends z.ZodType, Query extends z.ZodType> {
  readonly method: "GET" | "POST" | "PATCH" | "DELETE";
  readonly path: string;
  /** One line for the OpenAPI document. */
  readonly summary: string;
  /** Absent: the route takes no JSON body and reads none. */
  readonly body?: Body;
  readonly query?: Query;
  /** Answers by status, for the OpenAPI document: good ones, and refusals that say more than an error. */
  readonly answers: Readonly<Record<number, AnswerShape>>;
}

/** A JSON schema, or another kind of content by its media type. */
export type AnswerShape = z.ZodType | { readonly media: string } | "empty";

export interface OpenRoute extends RouteFacts<z.ZodType, z.ZodType> {
  readonly needs: "nothing";
  readonly handle: (call: Call<unknown, unknown>) => Promise<Response>;
}

export interface SignedInRoute extends RouteFacts<z.ZodType, z.ZodType> {
  readonly needs: "session";
  readonly handle: (call: SignedInCall<unknown, unknown>) => Promise<Response>;
}

export interface ConversationRoute extends RouteFacts<z.ZodType, z.ZodType> {
  readonly needs: "conversation";
  readonly handle: (call: ConversationCall<unknown, unknown>) => Promise<Response>;
}

/** One row of the route table. */
export type Route = OpenRoute | SignedInRoute | ConversationRoute;

type Out<S> = S extends z.ZodType ? z.output<S> : undefined;

/** A route that anybody may call. */
export function openRoute<B extends z.ZodType = z.ZodUndefined, Q extends z.ZodType = z.ZodUndefined>(
  route: RouteFacts<B, Q> & { readonly handle: (call: Call<Out<B>, Out<Q>>) => Promise<Response> },
): Route {
  return { ...route, needs: "nothing" } as OpenRoute;
}

/** A route for somebody who is signed in and may enter. */
export function signedInRoute<B extends z.ZodType = z.ZodUndefined, Q extends z.ZodType = z.ZodUndefined>(
  route: RouteFacts<B, Q> & { readonly handle: (call: SignedInCall<Out<B>, Out<Q>>) => Promise<Response> },
): Route {
  return { ...route, needs: "session" } as SignedInRoute;
}

/** A route of one conversation, with `:id` in its path. Whether the caller may do it is the object's answer. */
export function conversationRoute<B extends z.ZodType = z.ZodUndefined, Q extends z.ZodType = z.ZodUndefined>(
  route: RouteFacts<B, Q> & { readonly handle: (call: ConversationCall<Out<B>, Out<Q>>) => Promise<Response> },
): Route {
  return { ...route, needs: "conversation" } as ConversationRoute;
}
