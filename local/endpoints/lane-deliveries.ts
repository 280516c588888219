import type { Deliveries } from '../../functions/store/store.ts';
import type { Lane } from '../deliveries/lane.ts';

/** The deliveries of an endpoint, as the deliverer settles them, by way of its lane: what arrived leaves
 *  its row a moment later, together with others. */
export function laneDeliveries(
  deliveries: Deliveries,
  lane: Lane,
  onArrival: (places: readonly string[]) => void,
): Deliveries {
  return {
    ...deliveries,
    remove: async (_endpoint, places) => {
      lane.delivered(places);
      onArrival(places);
    },
    putOff: (_endpoint, place, { due }) => lane.putOff(place, due),
    bury: (_endpoint, place, { reason }) => lane.bury(place, reason),
    bringForward: async (endpoint, now) => {
      const count = await deliveries.bringForward(endpoint, now);
      lane.wake();
      return count;
    },
  };
}
