import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));

/** What is to be installed: package.json, lock and settings. */
export const manifestFolder = join(root, 'test/external/tools');
/** Where it is installed; git-ignored, half a gigabyte. */
export const toolsFolder = join(root, '.cache/tools');

const packages = join(toolsFolder, 'node_modules');

/** The agent CLI, a native program. */
export const claude = join(packages, '.bin/claude');
/** Scripts for Node. */
export const inspector = join(packages, '@modelcontextprotocol/inspector/clients/launcher/build/index.js');
export const conformance = join(packages, '@modelcontextprotocol/conformance/dist/index.js');
