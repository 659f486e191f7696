/**
 * What the scripted CLI is told to do, as `[[word argument]]` in the text of a message. A message without any is
 * answered with `You said: …`.
 */
export type Directive =
  /** Text, as one event. `\n` in it is a new line. */
  | { readonly do: 'say'; readonly text: string }
  /** So many characters of text in one event, in words and lines. */
  | { readonly do: 'block'; readonly characters: number }
  /** A fenced block of so many lines, in one event. */
  | { readonly do: 'code'; readonly lines: number }
  /** So many lines of text, an event each, so many milliseconds apart (`[[stream 200 5]]`). */
  | { readonly do: 'stream'; readonly lines: number; readonly everyMs: number }
  /** A tool that needs no permission; `result` and `error` tell what came of it. */
  | { readonly do: 'tool'; readonly name: string; readonly input: Record<string, unknown> }
  | { readonly do: 'result' | 'error'; readonly text: string }
  /** A tool that needs permission: asked for through the server, run or refused. */
  | { readonly do: 'ask'; readonly name: string; readonly input: Record<string, unknown> }
  /** What came of the last tool, said as text. */
  | { readonly do: 'echo' }
  /** Steps of any kind at once, each as a list of what would stand between brackets. */
  | { readonly do: 'together'; readonly steps: readonly Directive[] }
  /** A tool of the server, called; its answer is the result. */
  | { readonly do: 'call'; readonly name: string; readonly input: Record<string, unknown> }
  /** A subagent that says something and uses a tool so many times. */
  | { readonly do: 'subagent'; readonly uses: number }
  /** Adds a line with the time, in milliseconds since 1970, to a file. */
  | { readonly do: 'stamp'; readonly file: string }
  /** The turn goes on until it is interrupted. */
  | { readonly do: 'wait' }
  /** Lines that are no events, or unknown ones. */
  | { readonly do: 'garbage' }
  | { readonly do: 'retry'; readonly status: number }
  | { readonly do: 'limit'; readonly status: string }
  | { readonly do: 'compact' }
  /** The turn ends in an error. */
  | { readonly do: 'fail'; readonly text: string }
  /** Ends without a result: with code 1 and words on its error output, or by SIGKILL. */
  | { readonly do: 'crash' | 'die' }
  /** Nothing is answered any more, no signal but SIGKILL helps. */
  | { readonly do: 'hang' }
  /** Starts a process that goes on in a session of its own, as shell commands do, and says its id. */
  | { readonly do: 'leave' }
  /** Says its arguments, the names in its environment, or all messages of the session, as JSON. */
  | { readonly do: 'args' | 'env' | 'history' };

const PATTERN = /\[\[(\w+)(?:\s+([\s\S]*?))?\]\](?!\])/g;

/** @throws Error for a word there is not, so that a test does not pass by a slip. */
export function directivesIn(text: string): Directive[] {
  const found = [...text.matchAll(PATTERN)].map(([, word = '', argument = '']) => ({ word, argument }));
  // `answer` is for the CLI asked once; a session may be told what that was asked.
  return found
    .filter(({ word }) => !word.startsWith('answer'))
    .map(({ word, argument }) => directive(word, argument));
}

function split(step: string): [word: string, argument: string] {
  const [word = '', ...rest] = step.split(' ');
  return [word, rest.join(' ')];
}

function directive(word: string, argument: string): Directive {
  const [first = '', ...others] = argument.split(' ');
  const rest = others.join(' ');
  switch (word) {
    case 'say':
    case 'result':
    case 'error':
    case 'fail':
      return { do: word, text: argument.replaceAll('\\n', '\n') };
    case 'block':
      return { do: word, characters: Number(first) };
    case 'code':
      return { do: word, lines: Number(first) };
    case 'stamp':
      return { do: word, file: argument };
    case 'stream':
      return { do: word, lines: Number(first), everyMs: Number(rest || '0') };
    case 'tool':
    case 'ask':
    case 'call':
      return { do: word, name: first, input: JSON.parse(rest || '{}') };
    case 'together':
      return { do: word, steps: (JSON.parse(argument) as string[]).map((step) => directive(...split(step))) };
    case 'subagent':
      return { do: word, uses: Number(first || '1') };
    case 'retry':
      return { do: word, status: Number(first || '529') };
    case 'limit':
      return { do: word, status: first || 'rejected' };
    case 'echo':
    case 'wait':
    case 'garbage':
    case 'compact':
    case 'crash':
    case 'die':
    case 'hang':
    case 'leave':
    case 'args':
    case 'env':
    case 'history':
      return { do: word };
    default:
      throw new Error(`the scripted CLI knows no [[${word}]]`);
  }
}
