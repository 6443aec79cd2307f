import { expect, it } from 'vitest';
import { assertDevelopment } from './assert-development.ts';

it.each(['127.0.0.1', '127.1.2.3', '::1', 'localhost'])('listens on %s', (host) => {
  expect(() => assertDevelopment(host, {}, undefined)).not.toThrow();
});

it.each(['0.0.0.0', '::', '192.168.0.1', 'example.com', '127.0.0.1.example.com'])('refuses %s', (host) => {
  expect(() => assertDevelopment(host, {}, undefined)).toThrow(`other machines may reach ${host}`);
  expect(() => assertDevelopment(host, {}, 'a key of their own')).not.toThrow();
});

it('refuses production, whatever the key', () => {
  expect(() => assertDevelopment('127.0.0.1', { NODE_ENV: 'production' }, 'a key')).toThrow(/: use ".+ serve"$/);
});
