import type { OperationShape } from '../../../packages/kit/src/index.ts';

/** A call that was really made, and what came back. */
export interface RecordedExample {
  /** Folder of the service's pages; services may have operations of the same name. */
  readonly service: string;
  readonly operation: string;
  /** The call as a tool; null where the operation is none. For what takes `confirm`, the dry run. */
  readonly tool: {
    readonly arguments: Readonly<Record<string, unknown>>;
    readonly structured: unknown;
  } | null;
  /** The call over REST; for what takes `confirm`, the real one. */
  readonly rest: {
    /** `POST /api/v1/lists` */
    readonly line: string;
    /** Beside the key and what a body brings. */
    readonly headers: Readonly<Record<string, string>>;
    /** Null without one. */
    readonly body: unknown;
    /** The fields of the call, wherever they travelled. */
    readonly input: Readonly<Record<string, unknown>>;
    readonly status: number;
    /** Null without one, or when it is no JSON. */
    readonly answer: unknown;
  };
}

/** Whether the operation does nothing without `confirm: true`. */
export function takesConfirm({ toolInput }: OperationShape): boolean {
  return toolInput !== undefined && Object.hasOwn(toolInput.shape, 'confirm');
}

/** What of an example the operation's schemas do not allow (any more), a line each; none when it is good. */
export function exampleFaults(operation: OperationShape, example: RecordedExample): string[] {
  const { name, http } = operation;
  const faults: string[] = [];
  const check = (what: string, schema: OperationShape['output'], value: unknown) => {
    const { error } = schema.safeParse(value);
    for (const { path, message } of error?.issues ?? []) {
      faults.push(`${name}: ${[what, ...path].join('.')}: ${message}`);
    }
  };
  check('input', operation.input, example.rest.input);
  const expected = http.status ?? 200;
  // Creating what is there already answers 200.
  if (example.rest.status !== expected && !(expected === 201 && example.rest.status === 200)) {
    faults.push(`${name}: the answer's status is ${example.rest.status}, expected ${expected}`);
  }
  if (expected === 204) {
    if (example.rest.answer !== null) faults.push(`${name}: an answer of 204 has no body`);
  } else if (http.produces === undefined) check('answer', operation.output, example.rest.answer);
  if (operation.tool !== (example.tool !== null)) {
    faults.push(
      `${name}: ${operation.tool ? 'is a tool without' : 'is no tool, and has'} an example of a tool's call`,
    );
  }
  if (example.tool === null) return faults;
  check('arguments', operation.toolInput ?? operation.input, example.tool.arguments);
  check('structuredContent', operation.output, example.tool.structured);
  if (takesConfirm(operation) && example.tool.arguments.confirm !== false) {
    faults.push(`${name}: its example is to be the dry run, with "confirm": false`);
  }
  return faults;
}
