import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { terminalPrompter } from './terminal-prompter.ts';

/** What a person at a terminal has: keys, and what the screen shows of them. */
function terminal(isTTY: boolean) {
  const input = Object.assign(new PassThrough(), { isTTY, setRawMode: () => input });
  const interrupt = new AbortController();
  let screen = '';
  const output = {
    write(text: string) {
      screen += text;
    },
  };
  return {
    prompter: terminalPrompter({ input, output, interrupt }),
    interrupt,
    type: (text: string) => input.write(text),
    end: () => input.end(),
    screen: () => screen,
  };
}

test('what is typed shows, and a secret does not', async () => {
  const { prompter, type, screen } = terminal(true);
  const name = prompter.ask('Name:');
  type('olga\r');
  expect(await name).toBe('olga');
  const token = prompter.askSecret('Token:');
  type('s3cret-token\r');
  expect(await token).toBe('s3cret-token');
  expect(screen()).toContain('olga');
  expect(screen()).toContain('Token:');
  expect(screen()).not.toMatch(/s3c|token\b/);
  prompter.close();
});

test('the arrow keys bring no secret back', async () => {
  const { prompter, type, screen } = terminal(true);
  const token = prompter.askSecret('Token:');
  type('s3cret\r');
  await token;
  const next = prompter.ask('Channel:');
  type('\u001b[A\r');
  expect(await next).toBe('');
  expect(screen()).not.toContain('s3cret');
  prompter.close();
});

test('Ctrl-C ends the asking, whether or not something is asked', async () => {
  const { prompter, type, interrupt } = terminal(true);
  const asked = prompter.ask('Name:');
  type('\u0003');
  await expect(asked).rejects.toMatchObject({ name: 'Abandoned', why: 'interrupted' });
  await expect(prompter.ask('Channel:')).rejects.toMatchObject({ why: 'interrupted' });
  expect(interrupt.signal.aborted).toBe(true);
  prompter.close();
});

test('a pipe answers line by line, and its end is told', async () => {
  const { prompter, type, end } = terminal(false);
  type('one\ntwo\n');
  end();
  expect([await prompter.ask('A:'), await prompter.askSecret('B:')]).toEqual(['one', 'two']);
  await expect(prompter.ask('C:')).rejects.toMatchObject({ why: 'ended' });
});
