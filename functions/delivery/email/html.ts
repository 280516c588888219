import type { RecordView, Run } from '../chat/chat-view.ts';
import { type Frame, inertText, type Section } from './text.ts';

const FONT = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";

/** Each look as an element. Styles are inline, because some clients drop those of the head; classes are for dark mode.
 */
const LOOKS: Readonly<Record<Run['look'], readonly [begin: string, end: string]>> = {
  plain: ['', ''],
  strong: ['<b>', '</b>'],
  faint: ['<span class="f" style="color:#5b6570">', '</span>'],
  struck: ['<s>', '</s>'],
  good: ['<span class="g" style="color:#1a7f37">', '</span>'],
  bad: ['<span class="b" style="color:#c4320a">', '</span>'],
};

const DARK = `:root{color-scheme:light dark;supported-color-schemes:light dark}
@media (prefers-color-scheme:dark){
.page{background:#101418!important;color:#e3e7eb!important}
.card{background:#1a2027!important;border-color:#343c45!important}
.f{color:#9aa5b1!important}.g{color:#57c36d!important}.b{color:#ff8a65!important}
a{color:#7ab7ff!important}
}`;

/** One column of at most 600 px, of tables, which every mail client lays out alike. */
export function mailHtml({ subject, preview, sections, left, foot }: Frame): string {
  const rest = left === undefined ? '' : faint(`… ${left}`);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta name="color-scheme" content="light dark"><meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no,url=no">
<title>${data(subject)}</title><style>${DARK}</style></head>
<body class="page" style="margin:0;padding:0;background:#f3f5f7;color:#1b2026;${FONT};font-size:15px;line-height:1.5">
<div style="display:none;max-height:0;overflow:hidden">${data(preview)}</div>
<table role="presentation" class="page" width="100%" cellpadding="0" cellspacing="0" style="background:#f3f5f7;color:#1b2026"><tr><td align="center" style="padding:24px 12px">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="max-width:600px;text-align:left;${FONT};font-size:15px;line-height:1.5;word-break:break-word">
<tr><td style="padding:0 4px 16px"><h1 style="margin:0;font-size:20px;line-height:1.3">${data(subject)}</h1></td></tr>
${sections.map(sectionHtml).join('\n')}
<tr><td style="padding:0 4px">${rest}${faint(foot)}</td></tr>
</table></td></tr></table></body></html>
`;
}

/** One project, as a row of the mail's table. */
export function sectionHtml({ title, link, context, note, records, left }: Section): string {
  return `<tr><td style="padding:0 0 16px"><table role="presentation" class="card" width="100%" cellpadding="0" cellspacing="0" style="background:#ffffff;border:1px solid #d9dfe5;border-radius:8px"><tr><td style="padding:16px">
<h2 style="margin:0 0 2px;font-size:17px;line-height:1.3">${linked(data(title), link)}</h2>
${context.map(faint).join('\n')}
${note === undefined ? '' : `<p style="margin:10px 0 0">${data(note)}</p>`}
${records.map(recordHtml).join('\n')}
${left === undefined ? '' : `<div style="padding-top:10px">${faint(`… ${left}`)}</div>`}
</td></tr></table></td></tr>`;
}

/** One record: its heading, and its lines in a list. */
export function recordHtml({ heading, lines }: RecordView): string {
  const items = lines.map(line => `<li style="margin:2px 0">${runs(line)}</li>`).join('');
  const list = items === '' ? '' : `<ul style="margin:2px 0 0;padding:0 0 0 20px">${items}</ul>`;
  return `<p style="margin:10px 0 0">${runs(heading)}</p>${list}`;
}

function runs(all: readonly Run[]): string {
  return all
    .map(({ text, look, link }) => {
      const [begin, end] = LOOKS[look];
      return `${begin}${linked(data(text), link)}${end}`;
    })
    .join('');
}

function faint(text: string): string {
  return `<div class="f" style="color:#5b6570;font-size:13px">${data(text)}</div>`;
}

function linked(html: string, link: string | undefined): string {
  return link === undefined ? html : `<a href="${escaped(link)}" style="color:#0a58ca">${html}</a>`;
}

function data(text: string): string {
  return escaped(inertText(text));
}

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, mark => ESCAPES[mark] as string);
}
