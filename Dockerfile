# An image with everything that XSA needs, and a build of it:
#   docker build -t xsa .
#   docker run --rm xsa scripts/demo.sh --no-install
#   docker run --rm -v "$PWD:/work" -w /work xsa xsa-opt model.mlir --convert-attention-to-xsa
FROM debian:12

WORKDIR /opt/xsa
# First only what setup reads, so that the packages stay cached when sources change.
COPY scripts/common.sh scripts/setup.sh scripts/
COPY requirements-dev.txt .
RUN scripts/setup.sh && rm -rf /var/lib/apt/lists/*

COPY . .
RUN cmake -G Ninja -S . -B build -DCMAKE_BUILD_TYPE=Release \
      -DPython3_EXECUTABLE=/opt/xsa/.venv/bin/python \
  && ninja -C build
ENV PATH=/opt/xsa/build/bin:$PATH
CMD ["scripts/test.sh", "--no-install"]
