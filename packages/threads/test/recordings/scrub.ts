/** Lists of what an installation has; they are long and say nothing of the stream. */
const LEFT_OUT = new Set([
  ...['agents', 'skills', 'plugins', 'memory_paths', 'messaging_socket_path', 'capabilities', 'timestamp'],
  ...[
    'terminal_slash_commands',
    'subagent_stats',
    'output_file',
    'request_sent_wall_ms',
    'first_request_input',
  ],
  ...['run_id', 'end_time', 'compact_metadata', 'logical_parent_uuid', 'logo', 'iterations', 'diagnostics'],
]);
/** Longer lists are cut to their beginning. */
const MOST_ITEMS = 8;
/** Longer texts are the CLI's own, for its model. */
const LONGEST_TEXT = 120;
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;
const AGENT_ID = /\ba[0-9a-f]{16}\b/g;
const ID = /\b(msg|req|toolu)_[0-9a-z]{20,}/g;

/** The lines without what differs from run to run or tells of the machine. */
export function scrubbed(lines: readonly string[], home: string): string {
  const numbers = new Map<string, number>();
  const numberOf = (id: string) => {
    const number = numbers.get(id) ?? numbers.size + 1;
    numbers.set(id, number);
    return number;
  };
  const dashed = home.replaceAll(/[^A-Za-z0-9]/g, '-');
  return lines
    .map((line) =>
      JSON.stringify(JSON.parse(line, keep))
        .replaceAll(home, '/home/agent')
        .replaceAll(dashed, '-home-agent')
        .replace(/\/tmp\/claude-\d+/g, '/scratch')
        .replace(UUID, (id) => `00000000-0000-4000-8000-${String(numberOf(id)).padStart(12, '0')}`)
        .replace(AGENT_ID, (id) => `agent-${numberOf(id)}`)
        .replace(ID, (id, kind) => `${kind}_${String(numberOf(id)).padStart(6, '0')}`),
    )
    .map((line) => `${line}\n`)
    .join('');
}

function keep(this: unknown, key: string, value: unknown): unknown {
  if (LEFT_OUT.has(key)) return undefined;
  if (typeof value === 'string' && value.length > LONGEST_TEXT) return `${value.slice(0, LONGEST_TEXT)}…`;
  if (typeof value === 'number' && (key.endsWith('_ms') || key.endsWith('Ms'))) return 1;
  if (Array.isArray(value) && (key === 'tools' || key === 'slash_commands'))
    return value.slice(0, MOST_ITEMS);
  return value;
}
