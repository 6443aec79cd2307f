import type { WebhookEvent, WebhookEventType } from '@patchbay/client/webhooks';
import type { eventKinds } from '@patchbay/core';
import { describe, expectTypeOf, it } from 'vitest';

type DataOf<Type extends WebhookEventType> = Extract<WebhookEvent, { readonly type: Type }>['data'];

/** The members that the server says an event has. */
type EventKindName = keyof typeof eventKinds;
type MembersOf<Kind extends EventKindName> = keyof (typeof eventKinds)[Kind]['data']['properties'];

// Checked by the compiler: the client depends on nothing, so it has written down the kinds on its own.
describe('the events of the client', () => {
  it('match those of the server', () => {
    expectTypeOf<WebhookEventType>().toEqualTypeOf<EventKindName>();
  });

  it('declare only members the server sends', () => {
    expectTypeOf<keyof DataOf<'function.updated'>>().toExtend<MembersOf<'function.updated'>>();
    expectTypeOf<keyof DataOf<'execution.failed'>>().toExtend<MembersOf<'execution.failed'>>();
    expectTypeOf<keyof DataOf<'dead_letter.created'>>().toExtend<MembersOf<'dead_letter.created'>>();
    expectTypeOf<keyof DataOf<'gateway.failed'>>().toExtend<MembersOf<'gateway.failed'>>();
    expectTypeOf<keyof DataOf<'webhook.disabled'>>().toExtend<MembersOf<'webhook.disabled'>>();
  });
});
