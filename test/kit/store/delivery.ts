import type { NewDelivery } from '../../../functions/model/delivery.ts';

export const AT = Date.UTC(2026, 10, 21, 12);

export const delivery = (eventId: string, more: Partial<NewDelivery> = {}): NewDelivery => ({
  endpoint: 'crm',
  eventId,
  at: AT,
  body: `{"id":"${eventId}"}`,
  attributes: { eventType: { Type: 'String', Value: 'task.updated' } },
  ...more,
});
