import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import type { Page } from 'playwright-core';
import { expect, onTestFinished, test } from 'vitest';
import { openBrowser } from '../../packages/console/test/chrome.ts';
import { posternCommand, startHub, type TestHub } from '../support/hub.ts';

/** The path a newcomer walks: write in the browser, let the sender in, and be answered by an agent over MCP. */

const run = promisify(execFile);

async function loginLink(hub: TestHub): Promise<string> {
  const { stdout } = await run(process.execPath, [posternCommand, 'login'], {
    env: { PATH: process.env.PATH, POSTERN_DATA_DIR: join(hub.folder, 'data') },
  });
  return /https?:\/\/\S+/.exec(stdout)?.[0] ?? '';
}

async function openConsole(hub: TestHub): Promise<Page> {
  const browser = await openBrowser();
  onTestFinished(() => browser.close());
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, colorScheme: 'light' });
  page.setDefaultTimeout(10_000);
  await page.goto(await loginLink(hub));
  await page.getByRole('link', { name: 'Chat' }).first().waitFor();
  return page;
}

async function connectAgent(hub: TestHub, agentId: string): Promise<Client> {
  const client = new Client({ name: 'test-agent', version: '1.0.0' });
  await client.connect(
    new StdioClientTransport({
      command: process.execPath,
      args: [posternCommand, 'mcp', 'inbox'],
      env: {
        PATH: process.env.PATH ?? '',
        AMC_BASE_URL: hub.url,
        AMC_AGENT_ID: agentId,
        AMC_BEARER_TOKEN_FILE: hub.bearerFile,
      },
    }),
  );
  onTestFinished(() => client.close());
  return client;
}

interface Listed {
  readonly messages: { readonly id: string; readonly channel_id: string; readonly text: string }[];
}

async function call<Body>(client: Client, name: string, args: Record<string, unknown> = {}): Promise<Body> {
  const result = await client.callTool({ name, arguments: args });
  expect(result.isError ?? false, JSON.stringify(result.content)).toBe(false);
  return result.structuredContent as Body;
}

test('a person writes in the browser, an agent answers over MCP, and the person sees the answer', async () => {
  await using hub = await startHub();
  const page = await openConsole(hub);

  await page
    .getByRole('button', { name: /choose a name|who are you/i })
    .first()
    .click();
  await page.getByLabel('Name', { exact: true }).fill('Ana Torres');
  await page.keyboard.press('Enter');
  await page
    .getByRole('button', { name: /new channel|make a channel|create a channel/i })
    .first()
    .click();
  await page.getByLabel('Name', { exact: true }).fill('garden');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'garden' }).waitFor();
  const composer = page.getByRole('textbox', { name: /message/i });
  await composer.fill('When should I plant the tulips?');
  await page.keyboard.press('Enter');
  await page.getByText('When should I plant the tulips?').first().waitFor();

  const agent = await connectAgent(hub, 'assistant');
  expect((await call<Listed>(agent, 'list_unread_messages')).messages).toEqual([]);

  await page.getByRole('link', { name: 'Inbox' }).first().click();
  await page.getByRole('link', { name: /^Quarantine/ }).click();
  await page.getByRole('button', { name: 'Allow sender' }).click();
  await page.getByRole('button', { name: 'Allow and release' }).click();
  await page.getByRole('dialog').waitFor({ state: 'hidden' });

  const { messages } = await call<Listed>(agent, 'list_unread_messages');
  expect(messages.map((message) => message.text)).toEqual(['When should I plant the tulips?']);
  const [question] = messages;
  const context = await call<Listed>(agent, 'get_message_context', {
    channel_id: question?.channel_id,
    around_message_id: question?.id,
  });
  expect(context.messages).toHaveLength(1);

  await page.getByRole('link', { name: 'Chat' }).first().click();
  await page.getByText('When should I plant the tulips?').first().waitFor();
  await call(agent, 'send_message', {
    channel_id: question?.channel_id,
    text: 'In **October**, before the first frost.',
    reply_to: question?.id,
  });
  await page.getByText('before the first frost').first().waitFor();
  await call(agent, 'mark_read', { message_ids: [question?.id] });
  expect((await call<Listed>(agent, 'list_unread_messages')).messages).toEqual([]);
  const other = await connectAgent(hub, 'other');
  expect((await call<Listed>(other, 'list_unread_messages')).messages).toHaveLength(1);
});
