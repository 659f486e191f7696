import { commonFailure } from '@postern/kit';
import {
  checkOperationInput,
  restRequest,
  runMcpStdio,
  silentLog,
  toolFailure,
  toolList,
  toolSuccess,
  validationFailure,
} from '../src/mcp/index.ts';
import { operations, shortDialect } from './service.ts';

/** A stdio server as a service would write one; its calls come back as the REST request they would make. */

const tools = operations.filter(({ tool }) => tool);

// Something that would keep the process alive.
setInterval(() => {}, 1_000_000);

await runMcpStdio({
  info: { name: 'stdio-test', version: '1.0.0' },
  instructions: 'Test.',
  tools: toolList(tools, { dialect: shortDialect, outputSchema: 'none' }),
  dialect: shortDialect,
  log: {
    ...silentLog,
    error: (fields, message) => process.stderr.write(`${message} ${JSON.stringify(fields)}\n`),
  },
  deadlineMs: 5_000,
  async call(name, args, signal) {
    const operation = tools.find((tool) => tool.name === name);
    if (operation === undefined) throw new Error(name);
    const checked = checkOperationInput(operation, args, 'tool');
    if (!checked.ok)
      return toolFailure(
        shortDialect,
        validationFailure(shortDialect, checked.violations, { surface: 'tool' }),
      );
    if (checked.value.how === 'throw') throw new Error('secret internals');
    if (checked.value.how === 'wait') {
      process.stderr.write('waiting\n');
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
      process.stderr.write('aborted\n');
      throw commonFailure(shortDialect, 'internal', 'given up');
    }
    if (checked.value.thing_id === 'slow') await new Promise((resolve) => setTimeout(resolve, 100));
    return toolSuccess({ ...restRequest(operation, checked.value) });
  },
});
process.exit(0);
