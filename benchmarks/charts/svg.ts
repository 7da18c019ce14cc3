type Attributes = Record<string, string | number>;

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

const escape = (text: string) => text.replace(/[&<>"]/g, (character) => ESCAPES[character] ?? '');

export const COLORS = {
	ink: '#1f2328',
	quiet: '#59636e',
	grid: '#d1d9e0',
	thisNode: '#0b6bcb',
	other: '#b3541e',
};

/** One element; the content is markup. */
export function element(name: string, attributes: Attributes, content = ''): string {
	const list = Object.entries(attributes).map(
		([key, value]) => ` ${key}="${escape(String(value))}"`,
	);
	return `<${name}${list.join('')}>${content}</${name}>`;
}

/** A line of text, beginning at the point unless the attributes say otherwise. */
export function text(x: number, y: number, words: string, attributes: Attributes = {}): string {
	return element('text', { x, y, fill: COLORS.ink, ...attributes }, escape(words));
}

/** A straight line. */
export function line(x1: number, y1: number, x2: number, y2: number, more: Attributes): string {
	return element('line', { x1, y1, x2, y2, ...more });
}

/** A whole drawing on white, so that it can be read on a dark page too. */
export function drawing(width: number, height: number, title: string, parts: string[]): string {
	return `${element(
		'svg',
		{
			xmlns: 'http://www.w3.org/2000/svg',
			viewBox: `0 0 ${width} ${height}`,
			width,
			height,
			role: 'img',
			'font-family': 'system-ui, sans-serif',
			'font-size': 13,
		},
		[
			'',
			element('title', {}, escape(title)),
			element('rect', { width, height, fill: '#ffffff' }),
			text(24, 34, title, { 'font-size': 17, 'font-weight': 600 }),
			...parts,
			'',
		].join('\n'),
	)}\n`;
}
