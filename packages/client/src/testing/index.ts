export { type Handlers, type MockCall, type MockClient, mockClient } from './mock-client.ts';
