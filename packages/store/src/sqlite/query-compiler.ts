import { type OperationNodeSource, type RawNode, SqliteQueryCompiler } from 'kysely';

/** SQL with all its parameters, as one node. */
interface BoundNode extends RawNode {
  readonly values: readonly unknown[];
}

/**
 * A piece of SQL for SQLite whose placeholders (`?`) stand for the values, in their order; to be put into `sql`.
 * Kysely makes a node of each value and visits it, which for thousands costs as much as running the statement.
 */
export function boundSql(text: string, values: readonly unknown[]): OperationNodeSource {
  const node: BoundNode = { kind: 'RawNode', sqlFragments: [text], parameters: [], values };
  return { toOperationNode: () => node };
}

export class PosternSqliteQueryCompiler extends SqliteQueryCompiler {
  protected override visitRaw(node: RawNode): void {
    super.visitRaw(node);
    if ('values' in node) for (const value of (node as BoundNode).values) this.addParameter(value);
  }
}
