import type * as z from 'zod';
import type { JsonText } from './json-text.ts';

/**
 * An operation is written once: the REST route, the OpenAPI entry, the MCP tool and the reference page all
 * come from this record. It has no transport in it, and its handler gets everything it needs as ports in
 * the context, so that a record can also be read where nothing but its schemas may be loaded.
 */

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export interface HttpBinding {
  readonly method: HttpMethod;
  /** Path under the service's prefix, parameters as `:name`; each is a field of the input. */
  readonly path: string;
  /** Status of a success; 204 means no body. */
  readonly status?: number;
  /**
   * Input fields that travel in the query although the method has a body. With GET and DELETE all fields
   * that are not in the path do.
   */
  readonly query?: readonly string[];
  /**
   * Header fields of the request the handler may read, by lower-case name (`idempotency-key`). They are
   * documented, and are not part of the tool.
   */
  readonly headers?: Readonly<Record<string, string>>;
  /** Media type of a success when it is not JSON; the handler then returns a {@link RawBody}. */
  readonly produces?: string;
  /**
   * The field that makes bodies large. Where the service can, they are then parsed and checked off the event loop;
   * the schema makes a {@link JsonText} of the field, which is what travels back.
   */
  readonly bulk?: string;
}

/** All four hints of the MCP specification; leaving one out is a type error. */
export interface Annotations {
  readonly readOnly: boolean;
  readonly destructive: boolean;
  readonly idempotent: boolean;
  readonly openWorld: boolean;
}

/** A success that is not a JSON body. */
export interface RawBody {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array | NodeJS.ReadableStream | string | null;
}

/** What a handler gives of an output: it as a value, or as the JSON text of one that it has seen to already. */
type Given<Output> = Output | JsonText;

/** A success with headers of its own, or a stored answer given again. */
export interface Answer<Output> {
  readonly body: Output;
  readonly headers?: Readonly<Record<string, string>>;
  /** Replaces the binding's status (200 where creating found the thing there already). */
  readonly status?: number;
}

/** Marks an {@link Answer} apart from an output that happens to have the same fields. */
const ANSWER = Symbol('answer');

export function answer<Output>(
  body: Output,
  headers: Readonly<Record<string, string>> = {},
  status?: number,
): Answer<Output> {
  return { body, headers, ...(status === undefined ? {} : { status }), [ANSWER]: true } as Answer<Output>;
}

export function isAnswer(value: unknown): value is Answer<unknown> {
  return typeof value === 'object' && value !== null && ANSWER in value;
}

type ObjectSchema = z.ZodObject;
type NoFields = z.ZodObject<Record<never, never>>;

/**
 * What a handler gets: the parsed input, and the rest-only fields where the call came over REST; a tool's call
 * leaves them out.
 */
type HandlerInput<Input extends ObjectSchema, RestOnly extends ObjectSchema> = z.output<Input> &
  (keyof RestOnly['shape'] extends never ? unknown : Partial<z.output<RestOnly>>);

/** The record of an operation. `Context` is what its service gives a handler. */
export interface Operation<
  Context = unknown,
  Rights = string,
  Code extends string = string,
  Input extends ObjectSchema = ObjectSchema,
  Output extends z.ZodType = z.ZodType,
  RestOnly extends ObjectSchema = ObjectSchema,
> {
  /** snake_case, verb first; operationId and tool name. */
  readonly name: string;
  /** "Call it …": when to use it. */
  readonly call: string;
  /** "Needs …": rights and state it takes. */
  readonly needs: string;
  /** "Returns …": what comes back. */
  readonly returns: string;
  readonly http: HttpBinding;
  /** Whether the operation is an MCP tool too. */
  readonly tool: boolean;
  readonly rights: Rights;
  readonly annotations: Annotations;
  /** Strict object; fields of path, query and body together, flat. */
  readonly input: Input;
  /** Fields REST takes beside the input (`wait`, `dry_run`); the tool does not have them. */
  readonly restOnly?: RestOnly;
  /** The tool's input where it differs: a `confirm`, or tighter limits. Strict; has every field of the input. */
  readonly toolInput?: ObjectSchema;
  readonly output: Output;
  /** Codes the handler itself can give, beside the common faults. */
  readonly errors: readonly Code[];
  readonly handle: (
    input: HandlerInput<Input, RestOnly>,
    context: Context,
  ) => Promise<Given<z.input<Output>> | Answer<Given<z.input<Output>>> | RawBody>;
}

/** An operation without what ties it to a service: all that routes, tools and documents are made from. */
export type OperationShape = Omit<Operation, 'rights' | 'handle'>;

/** What a service declares; `tool` is false unless said. */
export type OperationRecord<
  Context,
  Rights,
  Code extends string,
  Input extends ObjectSchema,
  Output extends z.ZodType,
  RestOnly extends ObjectSchema = NoFields,
> = Omit<Operation<Context, Rights, Code, Input, Output, RestOnly>, 'tool' | 'handle'> & {
  readonly tool?: boolean;
  handle(
    input: HandlerInput<Input, RestOnly>,
    context: Context,
  ): Promise<Given<z.input<Output>> | Answer<Given<z.input<Output>>> | RawBody>;
};

const SENTENCES = [
  ['call', 'Call it '],
  ['needs', 'Needs '],
  ['returns', 'Returns '],
] as const;

/**
 * Gives a service its typed `operation()`:
 * `export const operation = operationsOf<InboxContext, InboxRights, InboxCode>()`.
 *
 * @throws Error when the record breaks a rule of the house: its name, its sentences, a path or query name that is
 * not a field, a field that is both in the input and rest-only, a tool's input that lacks a field.
 */
export function operationsOf<Context, Rights, Code extends string>() {
  return <Input extends ObjectSchema, Output extends z.ZodType, RestOnly extends ObjectSchema = NoFields>(
    record: OperationRecord<Context, Rights, Code, Input, Output, RestOnly>,
  ): Operation<Context, Rights, Code, Input, Output, RestOnly> => {
    if (!/^[a-z][a-z0-9_]{0,63}$/.test(record.name)) {
      throw new Error(`operation ${record.name}: a name is snake_case, at most 64 characters`);
    }
    for (const [field, start] of SENTENCES) {
      if (!record[field].startsWith(start) || !record[field].endsWith('.')) {
        throw new Error(
          `operation ${record.name}: ${field} must start with "${start}" and end with a full stop`,
        );
      }
    }
    for (const [place, names] of [
      ['path', pathParameters(record.http.path)],
      ['query', record.http.query ?? []],
      ['bulk', record.http.bulk === undefined ? [] : [record.http.bulk]],
    ] as const) {
      const unknown = names.find((name) => !Object.hasOwn(record.input.shape, name));
      if (unknown !== undefined) {
        throw new Error(`operation ${record.name}: the ${place}'s ${unknown} is not a field of its input`);
      }
    }
    const twice = Object.keys(record.restOnly?.shape ?? {}).find((name) =>
      Object.hasOwn(record.input.shape, name),
    );
    if (twice !== undefined)
      throw new Error(`operation ${record.name}: ${twice} is in input and in restOnly`);
    const lacking = Object.keys(record.input.shape).find(
      (name) => record.toolInput !== undefined && !Object.hasOwn(record.toolInput.shape, name),
    );
    if (lacking !== undefined) throw new Error(`operation ${record.name}: toolInput lacks ${lacking}`);
    return { tool: false, ...record };
  };
}

/** Names of a path's `:parameters`, in order. */
export function pathParameters(path: string): string[] {
  return [...path.matchAll(/:([a-z_]+)/g)].map((match) => match[1] ?? '');
}

/** The description a model or a reader of the OpenAPI document sees: the three sentences. */
export function describeOperation(operation: Pick<Operation, 'call' | 'needs' | 'returns'>): string {
  return `${operation.call} ${operation.needs} ${operation.returns}`;
}

/** Where each input field travels in REST. */
export function fieldPlace(
  operation: Pick<OperationShape, 'http' | 'restOnly'>,
  field: string,
): 'path' | 'query' | 'body' {
  if (pathParameters(operation.http.path).includes(field)) return 'path';
  if (operation.http.method === 'GET' || operation.http.method === 'DELETE') return 'query';
  if (operation.http.query?.includes(field) || Object.hasOwn(operation.restOnly?.shape ?? {}, field))
    return 'query';
  return 'body';
}
