/** The store of points as the ledger names it. */
export const STORE = 'postgres:plant';
/** The time zone of the plant. */
export const ZONE = 'Europe/Berlin';
