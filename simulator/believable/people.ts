import type { User } from '../data/workspace.ts';

const PEOPLE: readonly (readonly [name: string, role: string, team: string])[] = [
  ['Anna Lindqvist', 'admin', 'Operations'],
  ['Tomás Herrera', 'member', 'Customer success'],
  ['Priya Raman', 'member', 'Customer success'],
  ['Jonas Weber', 'member', 'Engineering'],
  ['Mei Tanaka', 'member', 'Engineering'],
  ['Chloé Martin', 'member', 'Marketing'],
  ['David Okafor', 'member', 'Sales'],
  ['Ingrid Solberg', 'member', 'Legal'],
  ['Marek Nowak', 'member', 'Engineering'],
  ['Sofia Ricci', 'member', 'Design'],
  ['Liam O’Connor', 'member', 'Customer success'],
  ['Fatima El Amrani', 'member', 'Marketing'],
  ['Samuel Fischer', 'guest', 'Partners'],
  ['Grace Mensah', 'member', 'Finance'],
];

/** The people of the believable workspace: the same ones for every seed. */
export function people(): User[] {
  return PEOPLE.map(([name, role, team], index) => ({
    id: String(101 + index),
    seq: index + 1,
    name,
    email: `${address(name)}@brightforge.example`,
    fields: { role, team, active: true, locale: 'en-GB', photo: null },
  }));
}

/** A user as an assignee or owner in a record. */
export function personReference(user: User): { id: string; name: string; email: string } {
  return { id: user.id, name: user.name, email: user.email };
}

function address(name: string): string {
  return name
    .normalize('NFD')
    .replace(/[^A-Za-z ]/g, '')
    .toLowerCase()
    .replaceAll(' ', '.');
}
