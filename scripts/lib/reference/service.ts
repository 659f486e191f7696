import type { OpenApiDocument, OpenApiOperation } from '../../../packages/http/src/index.ts';
import type { CommonFault, ErrorDialect, OperationShape } from '../../../packages/kit/src/index.ts';

/** A service as the reference pages tell of it. */
export interface ReferenceService {
  /** Folder of its pages. */
  readonly name: string;
  readonly title: string;
  /** What stands before its operations' paths. */
  readonly prefix: string;
  readonly dialect: ErrorDialect;
  /** Page of its errors, from the top. */
  readonly errorsPage: string;
  readonly operations: readonly ReferenceOperation[];
  readonly document: OpenApiDocument;
  /** Whether every operation is to have an example. */
  readonly hasExamples: boolean;
  /** Faults that a tool's caller meets before the tool does. */
  readonly beforeTools: readonly CommonFault[];
}

export type ReferenceOperation = OperationShape & { readonly rights: unknown };

/** The entry of an operation in its service's OpenAPI document, or undefined where it has none. */
export function openApiEntry(
  { document }: ReferenceService,
  { name, http }: ReferenceOperation,
): OpenApiOperation | undefined {
  const entry = document.paths[bracedPath(http.path)]?.[http.method.toLowerCase()];
  return entry?.operationId === name ? entry : undefined;
}

/** `/lists/:list_id` as `/lists/{list_id}`. */
export function bracedPath(path: string): string {
  return path.replace(/:([a-z_]+)/g, '{$1}');
}

/** `POST /api/v1/lists/{list_id}/subscribers` */
export function routeOf({ prefix }: ReferenceService, { http }: ReferenceOperation): string {
  return `${http.method} ${prefix}${bracedPath(http.path)}`;
}
