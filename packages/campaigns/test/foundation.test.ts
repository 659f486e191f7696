import { describeEngines } from '@postern/store/testing';
import { expect, test } from 'vitest';
import { campaignsBench, eras } from '../src/testing/index.ts';

describeEngines('the bench', (engine) => {
  test('serves whoami over REST and MCP alike', async () => {
    const bench = await campaignsBench(engine);
    const project = await bench.makeProject();
    const list = await bench.makeList(project.project_id);
    await bench.makeSubscriber(list);
    const http = await bench.http();
    const key = await http.makeKey(project.project_id, ['lists:read']);
    const rest = await key.rest('GET /whoami');
    expect(rest.status).toBe(200);
    expect(rest.body).toMatchObject({ key: { id: key.keyId }, project: { id: project.project_id } });
    for (const era of eras) {
      const tool = await key.tool('whoami', undefined, era);
      expect(tool.isError).toBe(false);
      expect(tool.structured.key).toEqual(rest.body.key);
      expect((await key.tools(era)).map(({ name }) => name)).toContain('whoami');
    }
  });
});
