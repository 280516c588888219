import { DELIVERIES_SCHEMA, sqliteDeliveries } from '../../functions/delivery/sqlite-deliveries.ts';
import { openDatabase } from '../../functions/snapshots/sqlite/database.ts';
import { deliveriesContract } from './deliveries-contract.ts';

deliveriesContract('SQLite', () => sqliteDeliveries(openDatabase(':memory:', [DELIVERIES_SCHEMA])));
