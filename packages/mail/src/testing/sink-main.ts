import process from 'node:process';
import type { SinkProcessAnswer, SinkProcessOptions, SinkProcessQuestion } from './sink-process.ts';
import { type SmtpSink, startSmtpSink } from './smtp-sink.ts';

/** Program: an SMTP sink of its own, asked over the channel to the process that started it. */

const options = JSON.parse(process.argv[2] ?? '{}') as SinkProcessOptions;
const sink = await startSmtpSink(options);
const say = (answer: SinkProcessAnswer) => process.send?.(answer);

process.on('message', (question: SinkProcessQuestion) => {
  if (question.ask === 'until')
    void sink.until(question.count).then(() => say({ id: question.id, value: sink.count }));
  else say({ id: question.id, value: answers[question.ask](sink) });
});
// The parent's end is ours too, however it came.
process.once('disconnect', () => process.exit(0));
say({ id: 0, value: { host: sink.host, port: sink.port } });

const answers = {
  count: (s: SmtpSink) => s.count,
  octets: (s: SmtpSink) => s.octets,
  connections: (s: SmtpSink) => s.connections,
  recipients: (s: SmtpSink) => s.messages.flatMap(({ to }) => to),
};
