import { crc32, deflateRawSync } from 'node:zlib';

/** A zip archive with one file: its local header, its content, the directory, and the directory's end. */
export function zipOf(fileName: string, content: Uint8Array): Uint8Array {
  const name = Buffer.from(fileName);
  const packed = deflateRawSync(content);
  // Version 2.0, no flags, deflated, no time, 1 January 1980.
  const [version, shared] = [Buffer.from([20, 0]), Buffer.from([20, 0, 0, 0, 8, 0, 0, 0, 33, 0])];
  const sizes = Buffer.alloc(16);
  sizes.writeUInt32LE(crc32(content), 0);
  sizes.writeUInt32LE(packed.length, 4);
  sizes.writeUInt32LE(content.length, 8);
  sizes.writeUInt16LE(name.length, 12);
  const local = Buffer.concat([Buffer.from('PK\x03\x04'), shared, sizes, name, packed]);
  // The archive is of Unix, and all may read the file.
  version.writeUInt8(3, 1);
  const rest = Buffer.alloc(14);
  rest.writeUInt32LE(0o100644 * 2 ** 16, 6);
  const entry = Buffer.concat([Buffer.from('PK\x01\x02'), version, shared, sizes, rest, name]);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(1, 4);
  end.writeUInt16LE(1, 6);
  end.writeUInt32LE(entry.length, 8);
  end.writeUInt32LE(local.length, 12);
  return Buffer.concat([local, entry, Buffer.from('PK\x05\x06'), end]);
}
