import { expect, it } from 'vitest';
import { areMailAddresses, mailRouteIn } from '../../functions/model/mail.ts';

const long = `a@${'b.'.repeat(126)}`;
const many = (count: number) => Array.from({ length: count }, (_, index) => `a${index}@b.c`).join();

it('recipients are different plain addresses, fifty at most, and nothing that a header could end with', () => {
  for (const text of ['a@b', "o'x+1@b-c.d.e", 'a@b.c, d@b.c', long.slice(0, 253), many(50)])
    expect([text, areMailAddresses(text)]).toEqual([text, true]);
  const odd = ['a@b.c,a@b.c', 'a@b.c,', 'Ann <a@b.c>', '.a@b.c', 'a@b..c', 'a@b.c\r\nBcc: d@b.c', 'x a@b.c'];
  for (const text of [...odd, `${long}cd`, many(51)])
    expect([text, areMailAddresses(text)]).toEqual([text, false]);
});

it('a mail server is named by an address with nothing but its host, port and login', () => {
  const smtp = { by: 'smtp', host: 'h.example', port: 587, isSecure: false, login: undefined };
  expect(mailRouteIn('smtp://h.example')).toEqual(smtp);
  const secure = { port: 465, isSecure: true, login: { user: 'a@b', pass: 'c:d' } };
  expect(mailRouteIn('smtps://a%40b:c%3Ad@h.example/')).toEqual({ ...smtp, ...secure });
  expect(mailRouteIn('smtp://[::1]:25')).toEqual({ ...smtp, host: '::1', port: 25 });
  expect(mailRouteIn('ses:')).toEqual({ by: 'ses' });
  const odd = 'h?x h#x h/x h// h_x a@h :b@h a:b%00@h a:%ff@h %ff:b@h a%0A:b@h x[1]'.split(' ');
  for (const text of [...odd.map(rest => `smtp://${rest}`), 'ses:x', 'ses://h', 'http://h', 'h'])
    expect([text, mailRouteIn(text)]).toEqual([text, undefined]);
});
