#!/usr/bin/env node
// `npx postern` in a checkout finds the command of this workspace; the command itself is the root's.
import '../../../bin/postern.js';
