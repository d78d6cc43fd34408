import { signal } from '@preact/signals';
import type { ServiceReply } from '../../api/service.ts';
import { ask } from './api.ts';
import { plantZone } from './settings.ts';

/** What the console belongs to. Undefined until it has told. */
export const service = signal<ServiceReply | undefined>(undefined);

const RETRY_MS = 3_000;

/** Asks what the console belongs to, again and again until it tells: a service that starts answers later. */
export async function loadService(): Promise<void> {
  try {
    service.value = await ask<ServiceReply>('/service');
    plantZone.value = service.value.timezone;
  } catch {
    setTimeout(loadService, RETRY_MS);
  }
}
