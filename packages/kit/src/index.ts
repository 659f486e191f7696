export * from './clock.ts';
export * from './errors.ts';
export * from './ids.ts';
export { JsonText } from './json-text.ts';
export * from './operation.ts';
export { describeFound, mustBe } from './schema/explain.ts';
export { inputJsonSchema, type JsonSchema, outputJsonSchema } from './schema/json-schema.ts';
export { coerceQuery, type Query } from './schema/query.ts';
export { isStrictObject } from './schema/strict.ts';
export {
  type Checked,
  type CheckOptions,
  checkInput,
  isFormViolation,
  parseOptions,
  summariseViolations,
  violationsOf,
} from './schema/violations.ts';
export * from './system.ts';
export { scanLines } from './text/fences.ts';
export { removeHidden } from './text/hidden.ts';
export { measureText, type TextUnit } from './text/measure.ts';
export * from './text/mentions.ts';
export * from './text/names.ts';
export { type SplitOptions, splitText } from './text/split.ts';
export * from './text/storable.ts';
export * from './time.ts';
export * from './transitions.ts';
