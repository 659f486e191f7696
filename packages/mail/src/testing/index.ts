export { LOCALHOST_CERTIFICATE } from './certificate.ts';
export { type SinkProcess, type SinkProcessOptions, startSinkProcess } from './sink-process.ts';
export type { SinkAction, SinkMoment, SinkScript, SinkStage } from './sink-script.ts';
export type { SinkExtensions, SinkMessage } from './sink-state.ts';
export {
  type SinkOptions,
  type SmtpSink,
  startSmtpSink,
} from './smtp-sink.ts';
