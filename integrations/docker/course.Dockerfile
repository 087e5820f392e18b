# The image with a course of your own, and the packages that it names. Beside the course's folder, here my-course:
#   docker build -f course.Dockerfile -t my-course .
# For the server: --build-arg BASE=etude-service, on the image of deploy/Dockerfile.
ARG BASE=etude
FROM $BASE
USER root
COPY my-course /opt/course
ENV ETUDE_EXERCISES=/opt/course
RUN etude packages install
USER 10001:10001
