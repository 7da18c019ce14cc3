const V4_BITS = 32;
const V6_BITS = 128;
// Where IPv4 addresses live among those of IPv6 (RFC 4291, section 2.5.5.2).
const V4_MAPPED = 0xffffn << BigInt(V4_BITS);

interface Network {
	address: bigint;
	/** Number of leading bits that have to agree. */
	prefix: number;
}

/** A list of IP addresses and networks in CIDR notation, of IPv4 and IPv6. */
export class AddressList {
	private readonly networks: Network[];

	private constructor(networks: Network[]) {
		this.networks = networks;
	}

	/**
	 * Reads a list whose entries are divided by commas or white space.
	 *
	 * @returns The list, or the first entry that is no address and no network.
	 */
	static parse(text: string): AddressList | { wrong: string } {
		const networks: Network[] = [];
		for (const entry of text.split(/[\s,]+/).filter(Boolean)) {
			const network = parseNetwork(entry);
			if (!network) return { wrong: entry };
			networks.push(network);
		}
		return new AddressList(networks);
	}

	get isEmpty(): boolean {
		return this.networks.length === 0;
	}

	has(address: string): boolean {
		const number = parseAddress(address);
		if (number === undefined) return false;
		return this.networks.some(({ address: network, prefix }) => {
			const rest = BigInt(V6_BITS - prefix);
			return number >> rest === network >> rest;
		});
	}
}

function parseNetwork(entry: string): Network | undefined {
	const [text, length, ...more] = entry.split('/');
	const address = parseAddress(text);
	if (address === undefined || more.length > 0) return undefined;
	const bits = text.includes(':') ? V6_BITS : V4_BITS;
	if (length === undefined) return { address, prefix: V6_BITS };
	if (!/^\d{1,3}$/.test(length) || Number(length) > bits) return undefined;
	return { address, prefix: V6_BITS - bits + Number(length) };
}

/** An address as a number of 128 bits, those of IPv4 in their place among IPv6. */
function parseAddress(text: string): bigint | undefined {
	const address = text.replace(/%.*$/, '');
	if (!address.includes(':')) {
		const number = parseV4(address);
		return number === undefined ? undefined : V4_MAPPED | number;
	}
	return parseV6(address);
}

function parseV4(text: string): bigint | undefined {
	const parts = text.split('.');
	// Some read a number with a leading zero as octal, so it says nothing for certain.
	const isPart = (part: string) => /^(0|[1-9]\d{0,2})$/.test(part) && Number(part) <= 255;
	if (parts.length !== 4 || !parts.every(isPart)) return undefined;
	return parts.reduce((number, part) => (number << 8n) | BigInt(part), 0n);
}

function parseV6(text: string): bigint | undefined {
	const address = `http://[${text}]`;
	if (!/^[\da-f:.]+$/i.test(text) || !URL.canParse(address)) return undefined;
	// In a URL, all groups are hexadecimal, and only "::" stands for missing ones.
	const [head, tail = []] = new URL(address).hostname
		.slice(1, -1)
		.split('::')
		.map((half) => half.split(':').filter(Boolean));
	const missing = new Array<string>(8 - head.length - tail.length).fill('0');
	const groups = [...head, ...missing, ...tail];
	return groups.reduce((number, group) => (number << 16n) | BigInt(`0x${group}`), 0n);
}
