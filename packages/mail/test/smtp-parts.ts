import { connect } from 'node:net';
import { onTestFinished } from 'vitest';
import { connectSmtp, type SmtpOptions } from '../src/smtp/connect.ts';
import type { OutgoingMail, SmtpSession } from '../src/smtp/session.ts';
import { type SinkOptions, type SmtpSink, startSmtpSink } from '../src/testing/index.ts';

/** A sink that is closed when the test ends. */
export async function sinkFor(options: SinkOptions = {}): Promise<SmtpSink> {
  const sink = await startSmtpSink(options);
  onTestFinished(() => sink.close());
  return sink;
}

export function optionsFor(sink: SmtpSink, options: Partial<SmtpOptions> = {}): SmtpOptions {
  return { host: sink.host, port: sink.port, tls: 'none', name: 'client.example', ...options };
}

/** A session with a sink, closed when the test ends. */
export async function sessionWith(sink: SmtpSink, options: Partial<SmtpOptions> = {}): Promise<SmtpSession> {
  const session = await connectSmtp(optionsFor(sink, options));
  onTestFinished(() => session.destroy());
  return session;
}

/** Reaches the sink under a name that is not its address. */
export function throughTo(sink: SmtpSink): Pick<SmtpOptions, 'openStream'> {
  return {
    openStream: () =>
      new Promise((resolve, reject) => {
        const socket = connect({ host: sink.host, port: sink.port, noDelay: true });
        socket.once('connect', () => resolve(socket));
        socket.once('error', reject);
      }),
  };
}

export const MESSAGE = Buffer.from('Subject: Hello\r\n\r\nHello, world\r\n');

export function mail(options: Partial<OutgoingMail> = {}): OutgoingMail {
  return { from: 'bounce@example.org', to: 'ada@example.com', data: MESSAGE, ...options };
}
