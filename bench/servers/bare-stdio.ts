import { serveStdio } from '@modelcontextprotocol/server/stdio';
import { bareServers } from './bare-tools.ts';

/** Program: the SDK's stdio server with one constant tool. */

serveStdio(bareServers());
