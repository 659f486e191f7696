import process from 'node:process';
import { runInboxStdio } from '@postern/inbox/stdio';

/** Program: the inbox's stdio server from its sources, as `postern mcp inbox` runs it where no bundle is. */

process.exitCode = await runInboxStdio(process.env, process.cwd());
