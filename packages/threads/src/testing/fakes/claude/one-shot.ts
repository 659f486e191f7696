import { text } from 'node:stream/consumers';

/**
 * The scripted CLI asked once, as with `-p`: it reads its input to the end and answers with what the first
 * `[[answer …]]` in it says, with nothing (`[]`) where there is none. `[[answer-args]]` and `[[answer-env]]` give its
 * arguments and the names in its environment as JSON; `[[answer-fail]]`, `[[answer-crash]]`, `[[answer-noise]]` and
 * `[[answer-hang]]` go wrong in their ways.
 */
export async function answerOnce(argv: readonly string[]): Promise<void> {
  const prompt = await text(process.stdin);
  const [, word = '', argument = '[]'] = /\[\[answer(-\w+)?(?: ([\s\S]*?))?\]\](?!\])/.exec(prompt) ?? [];
  switch (word) {
    case '-args':
      return write({ is_error: false, result: JSON.stringify({ argv, cwd: process.cwd(), prompt }) });
    case '-env':
      return write({ is_error: false, result: JSON.stringify(process.env) });
    case '-fail':
      return write({ is_error: true, result: 'API Error: 529' });
    case '-crash':
      process.exit(1);
      break;
    case '-noise':
      process.stdout.write('x'.repeat(1_000_000));
      break;
    case '-hang':
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => undefined);
      setInterval(() => undefined, 1_000_000);
      break;
    default:
      write({ is_error: false, result: argument });
  }
}

function write(result: { readonly is_error: boolean; readonly result: string }): void {
  const common = { type: 'result', subtype: 'success', num_turns: 1, total_cost_usd: 0.001 };
  process.stdout.write(JSON.stringify({ ...common, ...result }));
}
