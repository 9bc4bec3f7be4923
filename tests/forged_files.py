"""Model files with any content and a right checksum."""

import hashlib
import json

from sparsieve.files.model_file import FORMAT_VERSION


def forge(file, content):
    """Write any JSON text with a correct header, as an attacker could."""
    body = content if isinstance(content, bytes) else json.dumps(content).encode()
    digest = hashlib.sha256(f"sparsieve-model {FORMAT_VERSION}\n".encode() + body).hexdigest()
    header = (
        f'{{"format":"sparsieve-model","version":{FORMAT_VERSION},"sha256":"{digest}",'
        f'"bytes":{len(body)},"content":\n'
    )
    file.write_bytes(header.encode() + body + b"\n}\n")
    return file
