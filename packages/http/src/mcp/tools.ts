import type { Tool } from '@modelcontextprotocol/server';
import {
  describeOperation,
  type ErrorDialect,
  inputJsonSchema,
  type JsonSchema,
  type OperationShape,
  outputJsonSchema,
} from '@postern/kit';
import { joinSchemas } from './schemas.ts';

/** Operations as the list of tools a client sees. */

export interface ToolListOptions {
  readonly dialect: ErrorDialect;
  /**
   * `with_errors`: each tool has an output schema that admits the dialect's error body too. Older clients
   * check errors against it, and would drop what does not fit.
   * `none`: no output schema at all.
   */
  readonly outputSchema?: 'with_errors' | 'none';
}

/**
 * The tools of those operations that are tools, in the given order. Made once, at start.
 *
 * @throws Error naming the operation when its schemas cannot be a tool's (input not strict, output no object).
 */
export function toolList(operations: readonly OperationShape[], options: ToolListOptions): Tool[] {
  return operations.filter(({ tool }) => tool).map((operation) => toolOf(operation, options));
}

function toolOf(operation: OperationShape, { dialect, outputSchema = 'with_errors' }: ToolListOptions): Tool {
  const { name, annotations } = operation;
  const input = inputJsonSchema(operation.toolInput ?? operation.input);
  if (input.type !== 'object' || input.additionalProperties !== false) {
    throw new Error(`operation ${name}: its input must be a strict object`);
  }
  return {
    name,
    title: titleOf(name),
    description: describeOperation(operation),
    inputSchema: input as Tool['inputSchema'],
    ...(outputSchema === 'none'
      ? {}
      : { outputSchema: answerSchema(operation, dialect) as NonNullable<Tool['outputSchema']> }),
    annotations: {
      title: titleOf(name),
      readOnlyHint: annotations.readOnly,
      destructiveHint: annotations.destructive,
      idempotentHint: annotations.idempotent,
      openWorldHint: annotations.openWorld,
    },
  };
}

function answerSchema(operation: OperationShape, dialect: ErrorDialect): JsonSchema {
  const output = outputJsonSchema(operation.output);
  if (output.type !== 'object' && !Array.isArray(output.anyOf) && !Array.isArray(output.oneOf)) {
    throw new Error(`operation ${operation.name}: the output of a tool must be an object`);
  }
  return joinSchemas('anyOf', [output, dialect.toolSchema ?? dialect.schema]);
}

/** `list_unread_messages` → `List unread messages`. */
function titleOf(name: string): string {
  const words = name.replaceAll('_', ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}
