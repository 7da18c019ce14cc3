const V4_BITS = 32;
const V6_BITS = 128;

/** A network in CIDR notation. That of a single address has all of its bits. */
export interface Network {
	address: bigint;
	/** Number of leading bits that have to agree. */
	prefix: number;
}

/** Reads an IP address, or a network in CIDR notation, of IPv4 or IPv6; undefined when it is none. */
export function parseNetwork(entry: string): Network | undefined {
	const [text, length, ...more] = entry.split('/');
	const address = parseAddress(text);
	if (address === undefined || more.length > 0) return undefined;
	const bits = text.includes(':') ? V6_BITS : V4_BITS;
	if (length === undefined) return { address, prefix: V6_BITS };
	if (!/^\d{1,3}$/.test(length) || Number(length) > bits) return undefined;
	return { address, prefix: V6_BITS - bits + Number(length) };
}

/** Whether an IP address is in one of the networks. */
export function isInAny(networks: readonly Network[], text: string): boolean {
	const address = parseAddress(text);
	if (address === undefined) return false;
	return networks.some(({ address: network, prefix }) => {
		const rest = BigInt(V6_BITS - prefix);
		return address >> rest === network >> rest;
	});
}

/** An address as a number of 128 bits, those of IPv4 in their place among IPv6 (RFC 4291, section 2.5.5.2). */
function parseAddress(text: string): bigint | undefined {
	const address = text.replace(/%.*$/, '').replace(/^\d+(?:\.\d+){3}$/, '::ffff:$&');
	const url = `http://[${address}]`;
	if (!/^[\da-f:.]+$/i.test(address) || !URL.canParse(url)) return undefined;
	// In a URL, all groups are hexadecimal, and only "::" stands for missing ones.
	const [head, tail = []] = new URL(url).hostname
		.slice(1, -1)
		.split('::')
		.map((half) => half.split(':').filter(Boolean));
	const missing = new Array<string>(8 - head.length - tail.length).fill('0');
	const groups = [...head, ...missing, ...tail];
	return groups.reduce((number, group) => (number << 16n) | BigInt(`0x${group}`), 0n);
}
