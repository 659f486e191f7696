import { isDeepStrictEqual } from 'node:util';
import {
  type CommonFault,
  describeOperation,
  type ErrorDialect,
  fieldPlace,
  inputJsonSchema,
  type JsonSchema,
  type OperationShape,
  outputJsonSchema,
} from '@postern/kit';
import { rewriteReferences } from './mcp/schemas.ts';

/** Operations as an OpenAPI 3.1 document. */

export interface OpenApiOptions<Shape extends OperationShape = OperationShape> {
  readonly title: string;
  readonly version: string;
  /** What the service is and how to begin with it, in a few sentences. */
  readonly description: string;
  /** Base of the operations' paths, prefix included. */
  readonly serverUrl: string;
  readonly operations: readonly Shape[];
  readonly dialect: ErrorDialect;
  /** How the bearer is got; it is the security scheme of every operation, unless `isOpen` says otherwise. */
  readonly bearerDescription: string;
  /** Whether an operation takes callers without a credential. */
  isOpen?(operation: Shape): boolean;
  /** Header fields of an operation beside those it names itself. */
  headersOf?(operation: Shape): readonly HeaderParameter[];
  /** Heading an operation stands under; the first segment of its path unless said. */
  tagOf?(operation: Shape): string;
}

export interface HeaderParameter {
  readonly name: string;
  readonly description: string;
  readonly required: boolean;
  readonly schema?: JsonSchema;
}

export interface OpenApiParameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly description?: string;
  readonly schema: JsonSchema;
}

export interface OpenApiMedia {
  readonly schema: JsonSchema;
}

export interface OpenApiResponse {
  readonly description: string;
  readonly content?: Readonly<Record<string, OpenApiMedia>>;
}

export interface OpenApiOperation {
  readonly operationId: string;
  readonly summary: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters: readonly OpenApiParameter[];
  readonly requestBody?: {
    readonly required: boolean;
    readonly content: Readonly<Record<string, OpenApiMedia>>;
  };
  readonly responses: Readonly<Record<string, OpenApiResponse>>;
}

export interface OpenApiDocument {
  readonly openapi: '3.1.0';
  readonly info: { readonly title: string; readonly version: string; readonly description: string };
  readonly servers: readonly { readonly url: string }[];
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, OpenApiOperation>>>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>;
    readonly securitySchemes: Readonly<Record<string, JsonSchema>>;
  };
}

const ERROR = 'Error';

/** Faults whose status is the same in every dialect, whatever status their code has elsewhere. */
const FIXED_STATUS: Partial<Record<CommonFault, number>> = { malformed: 400, unsupported_media_type: 415 };

/**
 * The document of a service: operationId is the tool's name, every code an operation can give is listed
 * under its status, and parameters stand where the binding puts them.
 */
export function openApiDocument<Shape extends OperationShape>(
  options: OpenApiOptions<Shape>,
): OpenApiDocument {
  const schemas = new Components({ [ERROR]: { ...options.dialect.schema } });
  const paths: Record<string, Record<string, OpenApiOperation>> = {};
  const tags = new Set<string>();
  for (const operation of options.operations) {
    const described = describe(operation, options, schemas);
    for (const tag of described.tags) tags.add(tag);
    const path = operation.http.path.replace(/:([a-z_]+)/g, '{$1}');
    paths[path] = { ...paths[path], [operation.http.method.toLowerCase()]: described };
  }
  return {
    openapi: '3.1.0',
    info: { title: options.title, version: options.version, description: options.description },
    servers: [{ url: options.serverUrl }],
    tags: [...tags].map((name) => ({ name })),
    paths,
    components: {
      schemas: schemas.all,
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: options.bearerDescription } },
    },
  };
}

function describe<Shape extends OperationShape>(
  operation: Shape,
  options: OpenApiOptions<Shape>,
  schemas: Components,
): OpenApiOperation {
  const inputs = [operation.input, ...(operation.restOnly ? [operation.restOnly] : [])].map((schema) =>
    schemas.adopt(operation.name, inputJsonSchema(schema)),
  );
  const fields = inputs.flatMap((input) => {
    const required = new Set(input.required as string[] | undefined);
    return Object.entries((input.properties ?? {}) as Record<string, JsonSchema>).map(([name, schema]) => ({
      name,
      schema,
      required: required.has(name),
      place: fieldPlace(operation, name),
    }));
  });
  const body = fields.filter(({ place }) => place === 'body');
  const headers = [
    ...(options.headersOf?.(operation) ?? []),
    ...Object.entries(operation.http.headers ?? {}).map(([name, description]) => ({
      name,
      description,
      required: false,
    })),
  ];
  const isOpen = options.isOpen?.(operation) ?? false;
  return {
    operationId: operation.name,
    summary: operation.call.replace(/^Call it (?:to )?/, '').replace(/^./, (first) => first.toUpperCase()),
    description: describeOperation(operation),
    tags: [options.tagOf?.(operation) ?? operation.http.path.split('/')[1] ?? ''],
    security: isOpen ? [{}, { bearer: [] }] : [{ bearer: [] }],
    parameters: [...fields.flatMap(parameter), ...headers.map(headerParameter)],
    ...(body.length === 0 ? {} : { requestBody: requestBody(body) }),
    responses: {
      [String(operation.http.status ?? 200)]: success(operation, schemas),
      ...errors(operation, options.dialect, body.length > 0),
    },
  };
}

interface Field {
  readonly name: string;
  readonly schema: JsonSchema;
  readonly required: boolean;
  readonly place: 'path' | 'query' | 'body';
}

function parameter({ name, schema, required, place }: Field): OpenApiParameter[] {
  if (place === 'body') return [];
  const { description, ...rest } = schema;
  return [
    {
      name,
      in: place,
      required: required || place === 'path',
      ...(typeof description === 'string' ? { description } : {}),
      schema: rest,
    },
  ];
}

function headerParameter({ name, description, required, schema }: HeaderParameter): OpenApiParameter {
  return { name, in: 'header', required, description, schema: schema ?? { type: 'string' } };
}

function requestBody(fields: readonly Field[]): NonNullable<OpenApiOperation['requestBody']> {
  const required = fields.filter((field) => field.required).map(({ name }) => name);
  const schema: JsonSchema = {
    type: 'object',
    properties: Object.fromEntries(fields.map(({ name, schema }) => [name, schema])),
    ...(required.length > 0 ? { required } : {}),
    additionalProperties: false,
  };
  return { required: required.length > 0, content: { 'application/json': { schema } } };
}

function success(operation: OperationShape, schemas: Components): OpenApiResponse {
  const { status, produces } = operation.http;
  const description = operation.returns;
  if (status === 204) return { description };
  if (produces !== undefined) return { description, content: { [produces]: { schema: {} } } };
  return {
    description,
    content: {
      'application/json': { schema: schemas.adopt(operation.name, outputJsonSchema(operation.output)) },
    },
  };
}

function errors(
  operation: OperationShape,
  dialect: ErrorDialect,
  hasBody: boolean,
): Record<string, OpenApiResponse> {
  const faults: CommonFault[] = ['validation', 'unauthorized', 'forbidden', 'rate_limited', 'internal'];
  if (hasBody) faults.push('malformed', 'unsupported_media_type', 'too_large');
  const byStatus = new Map<number, Set<string>>();
  const note = (code: string, status: number) =>
    byStatus.set(status, (byStatus.get(status) ?? new Set()).add(code));
  for (const fault of faults)
    note(dialect.common[fault], FIXED_STATUS[fault] ?? statusOf(dialect, dialect.common[fault]));
  for (const code of operation.errors) note(code, statusOf(dialect, code));
  const mediaType = dialect.contentType.split(';', 1)[0] ?? dialect.contentType;
  const content = { [mediaType]: { schema: { $ref: `#/components/schemas/${ERROR}` } } };
  return Object.fromEntries(
    [...byStatus]
      .sort(([one], [other]) => one - other)
      .map(([status, codes]) => [
        String(status),
        {
          description: [...codes]
            .map((code) => `${code}: ${dialect.catalogue[code]?.summary ?? ''}`)
            .join('\n'),
          content,
        },
      ]),
  );
}

/** @throws Error when an operation names a code its service does not have. */
function statusOf(dialect: ErrorDialect, code: string): number {
  const definition = dialect.catalogue[code];
  if (definition === undefined) throw new Error(`no error ${code} is in the catalogue`);
  return definition.status;
}

/** Schemas that are referred to by name. */
class Components {
  readonly all: Record<string, JsonSchema>;

  constructor(initial: Record<string, JsonSchema>) {
    this.all = initial;
  }

  /**
   * Moves a schema's definitions here. One that another operation has already brought, word for word, is
   * shared; another of the same name gets the operation's name before its own.
   *
   * @throws Error when the schema refers to its own root, which has no address in this document.
   */
  adopt(owner: string, schema: JsonSchema): JsonSchema {
    const { $defs, ...rest } = schema;
    const definitions = Object.entries(($defs ?? {}) as Record<string, JsonSchema>);
    const names = new Map(definitions.map(([name]) => [name, name]));
    const moved = () =>
      definitions.map(([name, definition]) => [name, this.#relocate(definition, names)] as const);
    for (const [name, definition] of moved()) {
      const known = this.all[name];
      if (known !== undefined && !isDeepStrictEqual(known, definition)) names.set(name, `${owner}_${name}`);
    }
    for (const [name, definition] of moved()) this.all[names.get(name) ?? name] = definition;
    return this.#relocate(rest, names);
  }

  #relocate(schema: JsonSchema, names: ReadonlyMap<string, string>): JsonSchema {
    return rewriteReferences(schema, (reference) => {
      const name = /^#\/\$defs\/(.+)$/.exec(reference)?.[1];
      if (name === undefined)
        throw new Error(`the reference ${reference} has no place in an OpenAPI document`);
      return `#/components/schemas/${names.get(name) ?? name}`;
    }) as JsonSchema;
  }
}
