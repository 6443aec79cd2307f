import { describe, it } from 'node:test';
import { storageConformance } from '@patchbay/testing';
import { temporaryStorage } from './temporary-storage.ts';

storageConformance({ describe, it }, { create: () => temporaryStorage(), capabilities: ['durable'] });
