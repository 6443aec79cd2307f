import { operations } from '@patchbay/http';
import { expect, it } from 'vitest';
import { consoleApi, consoleSnippets } from './console-api.ts';

it('the console has the types of the API as it is', async () => {
  await expect(consoleApi(operations)).toMatchFileSnapshot(
    '../../packages/console/src/app/api/operations.generated.ts',
  );
});

it('the console shows what the command line prints to connect a client', async () => {
  await expect(consoleSnippets()).toMatchFileSnapshot(
    '../../packages/console/src/app/screens/connect/snippets.generated.ts',
  );
});
